// Review of edited objects: the result of a server-side dry run of each, before anything is applied.
import { edited, isRounded, keepsRemoved, mergePatch } from './manifest.js';

/**
 * Dry run of one document: `{ ref, before, after, method, force }`, where `before` is null for an object that does not exist.
 * Throws the server's error, with `conflicts` if others own fields and `force` is not set. `base` is the object that the
 * user began with: fields that the user removed from it must be removed.
 */
export async function review(client, { object, text }, { base = null, ref, force = false, namespace = 'default', onWarning }) {
  if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string') throw new Error('apiVersion and kind are missing.');
  const own = { apiVersion: object.apiVersion, kind: object.kind, metadata: { namespace: object.metadata?.namespace ?? namespace, name: object.metadata?.name } };
  const to = ref ?? own;
  const checked = { dryRun: true, fieldValidation: 'Strict', onWarning };
  if (!own.metadata.name && object.metadata?.generateName) {
    const made = { ...object, metadata: { ...object.metadata, namespace: own.metadata.namespace } };
    return { ref: to, before: null, after: await client.create(made, checked), method: 'create', object: made };
  }
  const before = await client.get(to).catch((error) => {
    if (error.code === 'not-found') return null;
    throw error;
  });
  const after = await client.apply(text, { ...checked, ref: to, force });
  if (!base || !before || !keepsRemoved(edited(base), edited(object), edited(after))) {
    return { ref: to, before, after, method: 'apply', text, force };
  }
  const patch = mergePatch(edited(before), edited(object));
  if (isRounded(patch)) throw new Error('The change has an integer above 2^53, which the browser rounds. Use kubectl edit for it.');
  // With the version, the patch fails if the object changes after the review.
  patch.metadata = { ...patch.metadata, resourceVersion: before.metadata.resourceVersion };
  return { ref: to, before, after: await client.patch(to, patch, checked), method: 'patch', patch };
}

/** Sends the reviewed change; resolves to the server's new object. */
export function carryOut(client, { ref, method, text, force, patch, object }) {
  const options = { fieldValidation: 'Strict' };
  if (method === 'create') return client.create(object, options);
  if (method === 'patch') return client.patch(ref, patch, options);
  return client.apply(text, { ...options, ref, force });
}
