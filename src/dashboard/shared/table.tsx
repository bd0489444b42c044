import type { ComponentChildren } from "preact";

export type Column = {
  readonly name: string;
  /** Numbers and times are aligned at the end. */
  readonly isNumeric?: boolean;
  /** The column of the rows' menus: its name is only for screen readers. */
  readonly isActions?: boolean;
};

type Props = {
  /** The table's accessible name. */
  readonly label: string;
  readonly columns: readonly Column[];
  /** `tr` elements. Their first cell is a `<th scope="row">`; the others have the class of their column. */
  readonly children: ComponentChildren;
};

/** A table of objects, for lists that need no virtual rows. It scrolls within its frame on a narrow screen. */
export function Table({ label, columns, children }: Props) {
  return (
    // A frame that scrolls must be reachable by keyboard.
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, isNumeric = false, isActions = false }) => (
              <th key={name} scope="col" class={isNumeric ? "numeric" : isActions ? "do" : ""}>
                {isActions ? <span class="hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
