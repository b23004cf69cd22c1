// Bare download: the requests of our informer in sequence (a page of 500, then of 2,000), each body read to its end and
// dropped.
//
// It searches the beginning of the body for the token of the next page, and parses nothing else.
const decoder = new TextDecoder();

export async function create() {
  return {
    async sync() {
      let token = '';
      do {
        const page = token ? `limit=2000&continue=${encodeURIComponent(token)}` : 'limit=500';
        const response = await fetch(`/api/v1/pods?pretty=false&${page}`, { cache: 'no-store' });
        const reader = response.body.getReader();
        let { value, done } = await reader.read();
        token = decoder.decode(value.subarray(0, 1024)).match(/"continue":"([^"]*)"/)?.[1] ?? '';
        while (!done) ({ done } = await reader.read());
      } while (token);
    },

    stop() {},
  };
}
