// Patience: longer timeouts of the product in a page or worker of a test, because a loaded machine may exceed the real ones.
// By their exact length, so that nothing else is postponed: 8 s for a WebSocket handshake, 30 s for a request of the client.
{
  const { setTimeout } = globalThis;
  const longer = new Map([[8_000, 120_000], [8_001, 120_000], [30_000, 600_000]]);
  globalThis.setTimeout = (run, delay, ...rest) => setTimeout(run, longer.get(delay) ?? delay, ...rest);
}
