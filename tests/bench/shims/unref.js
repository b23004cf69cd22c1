// `unref` for timers: Node.js has it; in a browser timers are numbers, for which it has no effect.
Object.defineProperty(Number.prototype, 'unref', {
  value() {
    return this;
  },
  configurable: true,
});
