// `createInterface`: lines of a stream.
export function createInterface(readable) {
  const decoder = new TextDecoder();
  const listeners = {};
  const emit = (event, value) => listeners[event]?.forEach((listener) => listener(value));
  let rest = '';
  readable.on('data', (chunk) => {
    const text = rest + decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    rest = lines.pop();
    for (const line of lines) emit('line', line);
  });
  readable.on('error', (error) => emit('error', error));
  readable.on('close', () => {
    if (rest) emit('line', rest);
    emit('close');
  });
  return {
    on(event, listener) {
      (listeners[event] ??= []).push(listener);
      return this;
    },
  };
}
