/** What a test asks of `die-at-step.ts`, as JSON in a file. */
export type DieOrder = {
  /** A number that no other order has. */
  readonly id: number;
  /** The steps begin with the first change whose path contains this text. */
  readonly from: string;
  /** The steps of earlier orders. Steps that run at the same time may change places, so a number would not tell them. */
  readonly known: readonly string[];
  /** Only the steps of this part end the processes. */
  readonly part: Part;
  /** The processes to kill; `self` is the agent. */
  readonly victims: readonly (number | "self")[];
  /** This folder is left out of the names of steps. */
  readonly folder: string;
  /** The path of the file for the step at which the processes died. */
  readonly report: string;
  /** The path of the file to which each step is appended, as a line with the phase of the run in the journal. */
  readonly seen: string;
};

/** One of the parts into which the steps of a scene are divided, so that a test kills at a few of them. */
export type Part = { readonly number: number; readonly of: number };

const IDS = /(?<=_)[0-9a-z]{26}/g;
const UUIDS = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
const NUMBERS = /\d+/g;

/** The name of a step, with N for what differs between two runs. */
export const nameOf = (call: string, paths: string, folder: string): string =>
  `${call} ${paths}`
    .replaceAll(folder, "")
    .replaceAll(IDS, "N")
    .replaceAll(UUIDS, "N")
    .replaceAll(NUMBERS, "N");

/** Whether a step is in a part. It depends on the step's key alone, because the steps of two runs differ in their order. */
export const isInPart = (key: string, { number, of }: Part): boolean =>
  Array.from(key).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1_000_003, 7) % of === number;

/** The key of a step. @param count how often its name has occurred */
export const keyOf = (name: string, count: number): string => `${name} #${count}`;

export const nameOfKey = (key: string): string => key.replace(/ #\d+$/, "");
