import type { ComponentChildren } from "preact";

type Column = {
  readonly title: string;
  /** The column of the rows' menus: its title is only for screen readers. */
  readonly isActions?: boolean;
};

/** The columns of a table in their order, by their names. */
export type Columns<Name extends string> = Readonly<Record<Name, Column>>;

type Props<Name extends string> = {
  /** The table's accessible name. */
  readonly label: string;
  readonly columns: Columns<Name>;
  readonly children: ComponentChildren;
};

/**
 * A table of objects, for lists that need no virtual rows. On a narrow screen each row is a block with a line for each
 * cell. The roles are explicit, because some browsers drop the roles of elements that are not laid out as a table.
 */
export function Table<Name extends string>({ label, columns, children }: Props<Name>) {
  return (
    <div class="table">
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {Object.entries<Column>(columns).map(([name, { title, isActions = false }]) => (
              <th key={name} role="columnheader" scope="col" class={isActions ? "do" : ""}>
                {isActions ? <span class="hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">{children}</tbody>
      </table>
    </div>
  );
}

type RowProps<Name extends string> = {
  readonly columns: Columns<Name>;
  /** The first one names the row. */
  readonly cells: Readonly<Record<Name, ComponentChildren>>;
};

/** A row of a `Table`, with a cell for each column. */
export function TableRow<Name extends string>({ columns, cells }: RowProps<Name>) {
  const contents: Readonly<Record<string, ComponentChildren>> = cells;
  return (
    <tr role="row">
      {Object.entries<Column>(columns).map(([name, { title, isActions = false }], at) =>
        at === 0 ? (
          <th key={name} role="rowheader" scope="row">
            {contents[name]}
          </th>
        ) : (
          <td key={name} role="cell" data-title={title} class={isActions ? "do" : ""}>
            {contents[name]}
          </td>
        ),
      )}
    </tr>
  );
}

type WideRowProps = {
  readonly columns: Columns<string>;
  readonly id?: string;
  readonly children: ComponentChildren;
};

/** A row without columns, with more about the object of the row above. */
export function WideTableRow({ columns, id, children }: WideRowProps) {
  return (
    <tr role="row" class="more" id={id}>
      <td role="cell" colSpan={Object.keys(columns).length}>
        {children}
      </td>
    </tr>
  );
}
