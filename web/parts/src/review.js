// Review of edited objects: the result of a server-side dry run of each, before anything is applied.
import { edited, isRounded, keepsRemoved, mergePatch, merged, textOf, undone } from './manifest.js';

const failure = (message, fields) => Object.assign(new Error(message), { status: 409, title: 'Conflict', ...fields });

/** The object as it is now, or null. */
export const find = (client, ref) => client.get(ref).catch((error) => {
  if (error.code === 'not-found') return null;
  throw error;
});

/** Throws if the text is about another object than the one there is. `base` is the object as the user got it, if it was one. */
export function identify(object, base, now) {
  const { kind, metadata } = object;
  if (!now && metadata?.uid) throw failure(`The ${kind} does not exist any more. To create it anew, remove the line with its uid.`, { code: 'gone' });
  if (now && base && now.metadata.uid !== base.metadata.uid) {
    throw failure(`The ${kind} was replaced by another one of the same name. Start again from the current state.`, { code: 'replaced' });
  }
  if (now && metadata?.uid && metadata.uid !== now.metadata.uid) {
    throw failure(`Another ${kind} has this name. To change that one, remove the line with the uid.`, { code: 'replaced' });
  }
}

/**
 * Dry run of a patch that has only what the user changed from `base`, so that it keeps what others have changed since. What
 * both have changed is a conflict, unless `force` is set.
 */
export async function reviewPatch(client, { object, base, before, ref, force, checked }) {
  const [from, live] = [edited(base), edited(before)];
  const patch = mergePatch(from, edited(object));
  if (isRounded(patch)) throw new Error('The change has an integer above 2^53, which the browser rounds. Use kubectl edit for it.');
  const conflicts = force ? [] : undone(from, live, merged(live, patch)).map((field) => ({ field, message: 'was changed by others' }));
  if (conflicts.length) throw failure(`These fields have changed since you opened the ${before.kind}.`, { code: 'conflict', conflicts });
  // With the version, the patch fails if the object changes after the review.
  patch.metadata = { ...patch.metadata, uid: before.metadata.uid, resourceVersion: before.metadata.resourceVersion };
  return { ref, before, after: await client.patch(ref, patch, checked), method: 'patch', patch };
}

/** Where a document belongs: `{ ref, made }`, where `made` is the object to create if the server generates its name. */
function placed(object, namespace) {
  const metadata = { namespace: object.metadata?.namespace ?? namespace, name: object.metadata?.name };
  const isGenerated = !metadata.name && object.metadata?.generateName;
  return {
    ref: { apiVersion: object.apiVersion, kind: object.kind, metadata },
    made: isGenerated ? { ...object, metadata: { ...object.metadata, namespace: metadata.namespace } } : null,
  };
}

/**
 * Dry run of one document: `{ ref, before, after, method, force }`, where `before` is null for an object that does not exist.
 * Throws the server's error, with `conflicts` if others own fields and `force` is not set. `base` is the object that the
 * user began with: fields that the user removed from it must be removed.
 */
export async function review(client, { object, text }, { base = null, ref, force = false, namespace = 'default', onWarning }) {
  if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string') throw new Error('apiVersion and kind are missing.');
  const { ref: own, made } = placed(object, namespace);
  const to = ref ?? own;
  const checked = { dryRun: true, fieldValidation: 'Strict', onWarning };
  if (made) return { ref: to, before: null, after: await client.create(made, checked), method: 'create', object: made };
  const before = await find(client, to);
  identify(object, base, before);
  const after = await client.apply(text, { ...checked, ref: to, force });
  // An apply keeps what the user removed if others own it, and removes what another dashboard has added since, because all of
  // them are one manager. Then a patch does what the user meant.
  const isApply = !base || !before || !(keepsRemoved(edited(base), edited(object), edited(after)) || undone(edited(base), edited(before), edited(after)).length);
  if (isApply) return { ref: to, before, after, method: 'apply', text, force };
  return reviewPatch(client, { object, base, before, ref: to, force, checked });
}

/**
 * What stands for the review of a document whose dry run failed because an earlier document creates its namespace, one of
 * `namespaces`. Any other error is thrown again.
 */
export function assume({ object, text }, error, namespaces) {
  const [, missing] = (error.code === 'not-found' && /^namespaces "([^"]+)" not found/.exec(error.message)) || [];
  if (!namespaces.has(missing)) throw error;
  const { ref, made } = placed(object, missing);
  const plan = made ? { method: 'create', object: made } : { method: 'apply', text, force: false };
  return { ref, before: null, after: made ?? object, isUnchecked: true, ...plan };
}

/** Sends the reviewed change; resolves to the server's new object. */
export async function carryOut(client, { ref, before, method, text, force, patch, object }) {
  const options = { fieldValidation: 'Strict' };
  if (method === 'create') return client.create(object, options);
  if (method === 'patch') return client.patch(ref, patch, options);
  // An apply names no version.
  if (textOf(await find(client, ref)) !== textOf(before)) throw failure('The object has changed since the review.', { code: 'changed' });
  return client.apply(text, { ...options, ref, force });
}
