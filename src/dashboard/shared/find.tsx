/** Shorter lists need no search. */
const MANY = 10;

type Props = {
  /** The kind of object, such as `project`. */
  readonly what: string;
  /** The length of the whole list. */
  readonly count: number;
  readonly query: string;
  readonly onInput: (query: string) => void;
};

/** A search field for a list. Renders nothing for a short list. */
export function Find({ what, count, query, onInput }: Props) {
  if (count < MANY) return null;
  return (
    <input
      type="search"
      class="find"
      aria-label={`Find a ${what}`}
      placeholder={`Find a ${what}`}
      value={query}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** Whether a text contains the query, ignoring case. */
export function matches(text: string, query: string): boolean {
  return text.toLowerCase().includes(query.trim().toLowerCase());
}
