// Review of edited objects: the result of a server-side dry run of each, before anything is applied.
import { edited, isRounded, keepsRemoved, mergePatch, merged, reverted, textOf } from './manifest.js';

const conflictError = (message, fields) => Object.assign(new Error(message), { status: 409, title: 'Conflict', ...fields });

/** The current object; null if it does not exist. */
export const find = (client, ref) => client.get(ref).catch((error) => {
  if (error.code === 'not-found') return null;
  throw error;
});

/** Throws if the text is about another object than `now`, the current one. `base` is the object that the user opened, or null. */
export function identify(object, base, now) {
  const { kind, metadata } = object;
  if (!now && metadata?.uid) throw conflictError(`The ${kind} does not exist any more. To create it anew, remove the line with its uid.`, { code: 'gone' });
  if (now && base && now.metadata.uid !== base.metadata.uid) {
    throw conflictError(`The ${kind} was replaced by another one of the same name. Start again from the current state.`, { code: 'replaced' });
  }
  if (now && metadata?.uid && metadata.uid !== now.metadata.uid) {
    throw conflictError(`Another ${kind} has this name. To change that one, remove the line with the uid.`, { code: 'replaced' });
  }
}

/**
 * Dry run of a patch with only the user's changes from `base`, so that later changes of others are kept. A field that both have
 * changed is a conflict, unless `force` is set.
 */
export async function reviewPatch(client, { object, base, before, ref, force, checked }) {
  const [from, live] = [edited(base), edited(before)];
  const patch = mergePatch(from, edited(object));
  if (isRounded(patch)) throw new Error('The change has an integer above 2^53, which the browser rounds. Use kubectl edit for it.');
  const conflicts = force ? [] : reverted(from, live, merged(live, patch)).map((field) => ({ field, message: 'was changed by others' }));
  if (conflicts.length) throw conflictError(`These fields have changed since you opened the ${before.kind}.`, { code: 'conflict', conflicts });
  // With the version, the patch fails if the object changes after the review.
  patch.metadata = { ...patch.metadata, uid: before.metadata.uid, resourceVersion: before.metadata.resourceVersion };
  return { ref, before, after: await client.patch(ref, patch, checked), method: 'patch', patch };
}

/** Reference of a document's object: `{ ref, toCreate }`. `toCreate` is the object if the server generates its name, otherwise null. */
function placed(object, namespace) {
  const metadata = { namespace: object.metadata?.namespace ?? namespace, name: object.metadata?.name };
  const isGenerated = !metadata.name && object.metadata?.generateName;
  return {
    ref: { apiVersion: object.apiVersion, kind: object.kind, metadata },
    toCreate: isGenerated ? { ...object, metadata: { ...object.metadata, namespace: metadata.namespace } } : null,
  };
}

/**
 * Dry run of one document: `{ ref, before, after, method, force }`, where `before` is null for an object that does not exist.
 * Throws the server's error, with `conflicts` if others own fields and `force` is not set. `base` is the object that the
 * user began with: fields that the user removed from it must be removed.
 */
export async function review(client, { object, text }, { base = null, ref, force = false, namespace = 'default', onWarning }) {
  if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string') throw new Error('apiVersion and kind are missing.');
  const { ref: own, toCreate } = placed(object, namespace);
  const to = ref ?? own;
  const checked = { dryRun: true, fieldValidation: 'Strict', onWarning };
  if (toCreate) return { ref: to, before: null, after: await client.create(toCreate, checked), method: 'create', object: toCreate };
  const before = await find(client, to);
  identify(object, base, before);
  const after = await client.apply(text, { ...checked, ref: to, force });
  // An apply keeps fields that the user removed if others own them. It removes fields that another dashboard has added since,
  // because all dashboards are one field manager. In both cases a patch is sent instead.
  const isApply = !base || !before || !(keepsRemoved(edited(base), edited(object), edited(after)) || reverted(edited(base), edited(before), edited(after)).length);
  if (isApply) return { ref: to, before, after, method: 'apply', text, force };
  return reviewPatch(client, { object, base, before, ref: to, force, checked });
}

/**
 * Substitute for the review of a document whose namespace does not exist, so that its dry run failed. An earlier document creates
 * the namespace, which is one of `namespaces`. Any other error is rethrown.
 */
export function uncheckedReview({ object, text }, error, namespaces) {
  const [, missing] = (error.code === 'not-found' && /^namespaces "([^"]+)" not found/.exec(error.message)) || [];
  if (!namespaces.has(missing)) throw error;
  const { ref, toCreate } = placed(object, missing);
  const plan = toCreate ? { method: 'create', object: toCreate } : { method: 'apply', text, force: false };
  return { ref, before: null, after: toCreate ?? object, isUnchecked: true, ...plan };
}

/** Sends the reviewed change; resolves to the server's new object. */
export async function carryOut(client, { ref, before, method, text, force, patch, object }) {
  const options = { fieldValidation: 'Strict' };
  if (method === 'create') return client.create(object, options);
  if (method === 'patch') return client.patch(ref, patch, options);
  // An apply has no resource version that could conflict.
  if (textOf(await find(client, ref)) !== textOf(before)) throw conflictError('The object has changed since the review.', { code: 'changed' });
  return client.apply(text, { ...options, ref, force });
}
