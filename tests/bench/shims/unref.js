// A timer of Node.js has `unref`. In a browser it is a number, and nothing waits for it.
Object.defineProperty(Number.prototype, 'unref', {
  value() {
    return this;
  },
  configurable: true,
});
