// Condition of a test, with a timeout.

/** Polls until `check` returns something true; the error names the condition. */
export async function eventually(what, milliseconds, check) {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (performance.now() > deadline) throw new Error(`not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
