// Bare download: the requests of our informer in sequence (a page of 500, then of 2,000), each body read to its end and
// dropped, in JSON or in protobuf.
//
// It searches the beginning of the body for the token of the next page, and parses nothing else.
const decoder = new TextDecoder();

/** The token of the next page in JSON, and in protobuf, where it is the text of a field. It is the base64 of JSON in both. */
const TOKEN = /"continue":"([^"]*)"|(eyJ[\w+/=-]+)/;

export async function create({ protobuf = false } = {}) {
  const headers = { accept: protobuf ? 'application/vnd.kubernetes.protobuf' : 'application/json' };
  return {
    async sync() {
      let token = '';
      do {
        const page = token ? `limit=2000&continue=${encodeURIComponent(token)}` : 'limit=500';
        const response = await fetch(`/api/v1/pods?pretty=false&${page}`, { cache: 'no-store', headers });
        const reader = response.body.getReader();
        let { value, done } = await reader.read();
        const [, json, text] = decoder.decode(value.subarray(0, 1024)).match(TOKEN) ?? [];
        token = json ?? text ?? '';
        while (!done) ({ done } = await reader.read());
      } while (token);
    },

    stop() {},
  };
}
