// The client of a factory: its code is loaded when it is first used.
let code;

export function lazyClient(...context) {
  let client;
  const load = async () => {
    code ??= import("./client/client.js").catch((error) => {
      code = undefined;
      throw error;
    });
    const { Client } = await code;
    return (client ??= new Client(...context));
  };
  const lazy = {
    async *logs(...args) {
      yield* (await load()).logs(...args);
    },
  };
  for (const name of "get create apply patch delete scale evict can access exec attach request".split(" ")) {
    lazy[name] = async (...args) => (await load())[name](...args);
  }
  return lazy;
}
