// Frames of a page that the test paints.
import { beforeEach } from 'node:test';

/** Callbacks of the next frame. */
export const frames = [];
beforeEach(() => {
  frames.length = 0;
  globalThis.requestAnimationFrame = (paint) => frames.push(paint);
});

export const paint = () => frames.splice(0).forEach((frame) => frame());
