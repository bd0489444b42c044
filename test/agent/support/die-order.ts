/** What a test asks of `die-at-step.ts`, as JSON in a file. */
export type DieOrder = {
  /** A number that no other order has. */
  readonly id: number;
  /** The steps begin with the first change whose path contains this text. */
  readonly from: string;
  /** The steps of earlier orders. Steps that run at the same time may change places, so a number would not tell them. */
  readonly known: readonly string[];
  /** Which of the steps that are not known ends the processes: 1 is the first. */
  readonly stride: number;
  /** The processes to kill; `self` is the agent. */
  readonly victims: readonly (number | "self")[];
  /** This folder is left out of the names of steps. */
  readonly folder: string;
  /** The path of the file for the steps that were not known. The processes died at the last of them. */
  readonly report: string;
};

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

/** The key of a step. @param count how often its name has occurred */
export const keyOf = (name: string, count: number): string => `${name} #${count}`;

export const nameOfKey = (key: string): string => key.replace(/ #\d+$/, "");
