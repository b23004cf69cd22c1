// Faults. `begin` starts one, `end` ends it (unless it is temporary); `seconds` is the time between.

const lists = { verb: 'list' };
const watches = { verb: 'watch' };

/** A fault of the embedded apiserver for requests: open watches are cut, because otherwise there would be no requests. */
function ofRequests(name, fault, seconds = 8) {
  return {
    name,
    seconds,
    async begin({ admin }) {
      for (const verb of [lists, watches]) await admin.add({ ...fault, ...verb });
      await admin.add({ fault: 'cut-open' });
    },
    end: ({ admin }) => admin.clear(),
  };
}

/** A fault of open streams and of later events. */
function ofStreams(name, fault, seconds = 8) {
  return { name, seconds, begin: ({ admin }) => admin.add(fault), end: ({ admin }) => admin.clear() };
}

/** A single fault of the server that ends without an action. */
const once = (name, fault, seconds = 1) => ({ name, seconds, begin: ({ admin }) => admin.add(fault), end() {} });

/** Of any apiserver: they happen on the way. */
export const onTheWay = [
  {
    name: 'the proxy is away for 10 s',
    seconds: 10,
    begin: ({ front }) => front.goAway(),
    end: ({ front }) => front.comeBack(),
  },
  { name: 'connections break', seconds: 0.1, begin: ({ front }) => front.goAway(), end: ({ front }) => front.comeBack() },
  { name: 'open connections fall silent', seconds: 1, begin: ({ front }) => front.stall(), end() {}, silent: true },
  {
    name: 'the page is frozen for 10 s',
    seconds: 10,
    only: 'chromium',
    begin: ({ cdp }) => cdp.send('Page.setWebLifecycleState', { state: 'frozen' }),
    async end({ cdp }) {
      await cdp.send('Page.setWebLifecycleState', { state: 'active' });
      // Chromium leaves the window hidden, and a hidden page is not painted.
      const { windowId } = await cdp.send('Browser.getWindowForTarget');
      for (const windowState of ['minimized', 'normal']) await cdp.send('Browser.setWindowBounds', { windowId, bounds: { windowState } });
    },
  },
];

/** Of the embedded apiserver, which fails on command. */
export const ofTheServer = [
  ...[401, 403, 404, 410, 429, 500, 503, 504].map((code) => ofRequests(`every answer is ${code}`, { fault: 'error', code })),
  ofRequests('answers come 3 s late', { fault: 'delay', ms: 3000 }),
  ofRequests("a proxy's page of HTML", { fault: 'html' }),
  ofRequests('answers break off at once', { fault: 'cut', bytes: 0 }),
  ofRequests('answers break off in a line', { fault: 'cut', bytes: 300, inside: 'line' }),
  ofRequests('answers break off in a character', { fault: 'cut', bytes: 300, inside: 'utf8' }),
  ofRequests('answers end empty', { fault: 'close' }),
  ofRequests('answers stop half way', { fault: 'stall', bytes: 300 }),
  ofRequests('watches begin with an ERROR 410', { fault: 'error-event', code: 410 }),
  ofRequests('watches begin with an ERROR 500', { fault: 'error-event', code: 500 }),
  ofRequests('slow readers are cut off', { fault: 'slow-reader', events: 2 }),
  ofRequests('watches from the future', { fault: 'silence' }),
  ofRequests('watches are gzipped in members', { fault: 'gzip-members' }),
  ofRequests('no bookmarks', { fault: 'drop-bookmarks' }),
  ofStreams('events come twice', { fault: 'duplicate' }),
  ofStreams('garbage between events', { fault: 'garbage' }),
  ofStreams('events of 16 MB', { fault: 'oversized', times: 2 }),
  ofStreams('events of an unknown type', { fault: 'unknown-type' }),
  ofStreams('events of another kind', { fault: 'wrong-kind' }),
  ofStreams('events come 3 s late', { fault: 'delay-events', ms: 3000 }),
  once('watches break', { fault: 'cut-open' }),
  once('watches end', { fault: 'end-open' }),
  { ...once('watches fall silent', { fault: 'stall-open' }), silent: true },
  once('the history is dropped', { fault: 'compact' }),
  once('the apiserver is restarted', { fault: 'restart', away_ms: 2000 }, 2),
  once('another cluster takes its place', { fault: 'replace', revision: 1, away_ms: 1000 }, 1),
  once('the apiserver drains for 10 s', { fault: 'drain', ms: 10_000 }, 10),
];
