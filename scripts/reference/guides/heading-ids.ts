/** Makes the ids of a document's headings, equal to GitHub's ids, so that links work in both places. */
export class HeadingIds {
  readonly #used = new Map<string, number>();

  next(title: string): string {
    const id = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    const count = this.#used.get(id) ?? 0;
    this.#used.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  }
}
