// Examples of the guide: code blocks, and the declarations that they omit.

/** Global declarations. A block that declares one of these names shadows it. */
export const CONTEXT = `declare const factory: import("kube-informer").SharedInformerFactory;
declare const pods: import("kube-informer").SharedInformer<import("kube-informer").KubeObject>;
declare function render(snapshot: unknown): void;
declare function reconcile(key: string, object: unknown): Promise<void>;
declare function getToken(): Promise<{ token: string; expiresAt: number }>;
`;

/** Returns the blocks of a page that are checked: `{ name, extension, code }`, named by page and number. */
export function blocks(page, text) {
  return [...text.matchAll(/^```(ts|js|tsx)\n([^]*?)^```$/gm)].map(([, language, code], at) => ({
    name: `${page.replace(/\.md$/, '').replaceAll('/', '-')}-${at + 1}`,
    // JavaScript is checked as TypeScript, as strictly.
    extension: language === 'tsx' ? 'tsx' : 'ts',
    code,
  }));
}

/** Returns the files of blocks by name: each is a module of its own. */
export const files = (found) => Object.fromEntries(found.map(({ name, extension, code }) => [`${name}.${extension}`, `${code}\nexport {};\n`]));
