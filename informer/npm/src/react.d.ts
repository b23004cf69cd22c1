// Types of the entry `kube-informer/react`: hooks for React 18 and later.
import type {
  ConnectOptions, InformerError, InformerOptions, InformerStatus, KubeObject, ResourceRef, SharedInformer, SharedInformerFactory,
  TableColumn, TableRow, ViewCounts, ViewError, ViewOptions, ViewSnapshot,
} from "./index.js";

/** Result of `useFactory()`. */
export interface FactoryState {
  /** Null until the engine has been connected. */
  readonly factory: SharedInformerFactory | null;
  /** Why `connect()` has rejected. Null otherwise. */
  readonly error: InformerError | null;
}

/**
 * Connects while the component is mounted, and shuts the factory down afterwards. Options are compared by their JSON; others
 * connect anew. A function `headers` is not in the JSON: that of the last render is called. For another user, pass another `user` as well,
 * so that a factory with caches of its own is made.
 *
 * @param connect The function of `kube-informer` or `kube-informer/slim`.
 * @param options Options of `connect()`. Default: none.
 */
export function useFactory(
  connect: (options?: ConnectOptions) => Promise<SharedInformerFactory>,
  options?: Omit<ConnectOptions, "signal">,
): FactoryState;

/**
 * Returns a running informer of a resource, and releases it when the component is unmounted. Null until it is open, and
 * without a factory. Components that use the same resource and options share it. Options are compared by their JSON.
 *
 * Throws `"bad-request"` in a render if the resource or an option is invalid, so that an error boundary shows it.
 */
export function useInformer<T extends { metadata?: object } = KubeObject>(
  factory: SharedInformerFactory | null,
  resource: ResourceRef,
  options?: InformerOptions,
): SharedInformer<T> | null;

/** All that a view shows, at one time. Frozen. */
export interface ViewState<R> extends ViewSnapshot<R> {
  /** See `View.columns`. */
  readonly columns: readonly TableColumn[];
  /** See `View.counts`. */
  readonly counts: ViewCounts;
  /** Whether the last options have no result yet: the rows are those of earlier ones, or there are none. */
  readonly pending: boolean;
  /** See `View.error`. */
  readonly error: ViewError | null;
}

/**
 * Returns the rows of a view, at most one new state per animation frame. Options are compared by their JSON: a new filter,
 * order or window changes the view, and its rows stay until the new ones are there; new columns or label selectors open
 * another view. Without an informer there are no rows.
 *
 * Throws `"bad-request"` in a render if an option has the wrong type. A filter with a mistake is `error`.
 */
export function useView(informer: SharedInformer<unknown> | null, options: ViewOptions & { columns: "kubectl" }): ViewState<TableRow>;
export function useView<R>(informer: SharedInformer<R> | null, options?: ViewOptions & { columns?: undefined }): ViewState<R>;
export function useView<R extends object>(informer: SharedInformer<unknown> | null, options: ViewOptions): ViewState<R>;

/**
 * Returns one object by its key, `namespace/name` or `name`: undefined before it has been read, null if it does not exist.
 * Without an informer or a key, undefined.
 */
export function useObject<T>(informer: SharedInformer<T> | null, key: string | null | undefined): T | null | undefined;

/** Returns the status of an informer, a new object after each change. Without an informer, the one of phase `"idle"`. */
export function useStatus(informer: SharedInformer<unknown> | null): InformerStatus;

/**
 * Returns a running informer of a resource, as `useInformer()` does, and never null: it is opened in the render. It does not suspend;
 * `useSuspenseView()` and `useSuspenseObject()` do. If a component is discarded before it has been mounted, the informer is released
 * after 10 to 20 seconds.
 *
 * Throws `"bad-request"` in a render if the resource or an option is invalid, and without a factory: render the component below the
 * one that calls `useFactory()`, once that has a factory.
 */
export function useSuspenseInformer<T extends { metadata?: object } = KubeObject>(
  factory: SharedInformerFactory,
  resource: ResourceRef,
  options?: InformerOptions,
): SharedInformer<T>;

/**
 * Returns the rows of a view, as `useView()` does, and suspends until the first rows are there, or the list is complete and has none.
 * With another informer, other columns or label selectors it suspends again, and in a transition the old rows stay. With another
 * filter, order or window it does not suspend: the rows stay, and `pending` is true.
 *
 * Throws the informer's error in a render if the server refuses the resource (`"forbidden"`, `"unauthorized"`, `"not-found"`,
 * `"bad-request"`) before there are rows. When the error boundary is reset, the informer of a `useSuspenseInformer()` retries at once.
 * It keeps waiting on other errors, such as `"network"`, which `useStatus()` returns to a component outside of the boundary.
 */
export function useSuspenseView(informer: SharedInformer<unknown>, options: ViewOptions & { columns: "kubectl" }): ViewState<TableRow>;
export function useSuspenseView<R>(informer: SharedInformer<R>, options?: ViewOptions & { columns?: undefined }): ViewState<R>;
export function useSuspenseView<R extends object>(informer: SharedInformer<unknown>, options: ViewOptions): ViewState<R>;

/**
 * Returns one object by its key, as `useObject()` does, and suspends until it has been read: null if it does not exist. Throws as
 * `useSuspenseView()` does.
 */
export function useSuspenseObject<T>(informer: SharedInformer<T>, key: string): T | null;
