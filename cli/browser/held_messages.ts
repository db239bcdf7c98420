// Messages of a browser, in their order; for a while those of its network are kept as they came, unread, until another one comes or
// the while is over. A page's load makes hundreds that nobody asks about before it has ended, and what reads them meanwhile
// takes its time from the load. All others (a frame in a process of its own, which stands still until it is answered) are handed on at
// once, after those before them.

export class HeldMessages {
  readonly #deliver: (message: string) => void;
  readonly #ofNetwork: Buffer;
  #held: Buffer[] = [];
  #isHolding = false;

  /** `ofNetwork`: how a message of the network begins. */
  constructor(deliver: (message: string) => void, ofNetwork: string) {
    this.#deliver = deliver;
    this.#ofNetwork = Buffer.from(ofNetwork);
  }

  take(message: Buffer): void {
    if (this.#isHolding && message.subarray(0, this.#ofNetwork.length).equals(this.#ofNetwork)) {
      this.#held.push(message);
      return;
    }
    this.#handOn();
    this.#deliver(message.toString("utf8"));
  }

  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    this.#handOn();
  }

  #handOn(): void {
    const held = this.#held;
    this.#held = [];
    for (const message of held) this.#deliver(message.toString("utf8"));
  }
}
