/** The places of rows of different heights, in pixels. */
export type RowPlaces = {
  /** The distance of a row to the top of the list. With the number of rows, the height of the list. */
  readonly top: (index: number) => number;
  /** The row at a distance to the top. */
  readonly at: (top: number) => number;
};
