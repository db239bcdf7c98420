// Preloaded into each test file's process: one that does not end, as what a failed test left running can keep it from,
// is ended with what held it. Without this, a failure in one file would be a run that never tells of it.
const longest_ms = 480_000;

if (process.env.NODE_TEST_CONTEXT !== undefined)
  setTimeout(() => {
    const held = process.getActiveResourcesInfo().join(", ");
    console.error(`${process.argv[1]}: not ended within ${longest_ms / 1000} s; what is open: ${held}`);
    process.exit(1);
  }, longest_ms).unref();
