// The address of `kubectl proxy`. `ws`: watches may use WebSockets.
const apiserver = { target: "http://127.0.0.1:8001", ws: true };

export default { base: "./", server: { proxy: { "/api": apiserver, "/apis": apiserver, "/version": apiserver } } };
