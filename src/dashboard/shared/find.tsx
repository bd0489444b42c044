/** So many are not taken in at a glance. */
const MANY = 10;

type Props = {
  /** What is looked for, such as `project`. */
  readonly what: string;
  /** How many there are. */
  readonly count: number;
  readonly sought: string;
  readonly onInput: (sought: string) => void;
};

/** Leaves of many only those that are like what is typed. Shows nothing where there are few. */
export function Find({ what, count, sought, onInput }: Props) {
  if (count < MANY) return null;
  return (
    <input
      type="search"
      class="find"
      aria-label={`Find a ${what}`}
      placeholder={`Find a ${what}`}
      value={sought}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** Whether a text holds what is sought, in capitals or not. */
export function isLike(text: string, sought: string): boolean {
  return text.toLowerCase().includes(sought.trim().toLowerCase());
}
