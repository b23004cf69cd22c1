// The bare download: the same requests one after the other, each body read to its end and forgotten.
//
// It looks for the token of the next page at the beginning of the body, and at nothing else.
const decoder = new TextDecoder();

export async function create() {
  return {
    async sync() {
      let token = '';
      do {
        const response = await fetch(`/api/v1/pods?pretty=false&limit=500${token && `&continue=${encodeURIComponent(token)}`}`, {
          cache: 'no-store',
        });
        const reader = response.body.getReader();
        let { value, done } = await reader.read();
        token = decoder.decode(value.subarray(0, 1024)).match(/"continue":"([^"]*)"/)?.[1] ?? '';
        while (!done) ({ done } = await reader.read());
      } while (token);
    },

    stop() {},
  };
}
