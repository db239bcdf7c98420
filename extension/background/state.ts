// The state that views watch, in chrome.storage.session: read once, changed here only, written in order and not more often
// than a person can see. It outlives a service worker that is put to sleep, and goes with the browser.
import { emptyState, type RaceState, type State, stateKey } from "../actions.ts";

let known: State | null = null;
let reading: Promise<State> | null = null;
let writing: Promise<void> = Promise.resolve();
let dirty = false;
let timer: ReturnType<typeof setTimeout> | null = null;

const writeEvery_ms = 100;

async function read(): Promise<State> {
  const stored = (await chrome.storage.session.get(stateKey)) as Record<string, State | undefined>;
  known ??= { ...structuredClone(emptyState), ...stored[stateKey] };
  return known;
}

export async function currentState(): Promise<State> {
  if (known) return known;
  reading ??= read();
  return reading;
}

function write(): Promise<void> {
  writing = writing.then(async () => {
    if (!dirty || !known) return;
    dirty = false;
    await chrome.storage.session.set({ [stateKey]: known });
  });
  return writing;
}

/** Changes the state; it is written soon, or before this returns where `now`. */
export async function changeState(change: (state: State) => State, now = false): Promise<void> {
  known = change(await currentState());
  dirty = true;
  if (now) {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    await write();
  } else {
    timer ??= setTimeout(() => {
      timer = null;
      void write();
    }, writeEvery_ms);
  }
}

export async function changeRace(id: string, change: Partial<RaceState>, now = false): Promise<void> {
  await changeState((state) => {
    const race = state.races[id];
    return race ? { ...state, races: { ...state.races, [id]: { ...race, ...change } } } : state;
  }, now);
}
