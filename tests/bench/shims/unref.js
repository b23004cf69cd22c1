// `unref` for timers: in Node.js they have it, in a browser they are numbers, for which it does nothing.
Object.defineProperty(Number.prototype, 'unref', {
  value() {
    return this;
  },
  configurable: true,
});
