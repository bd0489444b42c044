/** Keeps the end of a text that grows line by line. */
export class TextTail {
  readonly #length: number;
  #text = "";

  /** @param length in UTF-16 code units */
  constructor(length: number) {
    this.#length = length;
  }

  add(text: string): void {
    this.#text += text;
    // Not at each line, because that would copy the whole end each time.
    if (this.#text.length > 2 * this.#length) this.#text = this.#text.slice(-this.#length);
  }

  get text(): string {
    return this.#text.slice(-this.#length);
  }
}
