import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type Props = {
  /** The table's accessible name. */
  readonly label: string;
  /** The text that opens it. */
  readonly summary?: string;
  readonly columns: readonly string[];
  /** Called when the table is opened: there may be a thousand rows. */
  readonly rows: () => readonly (readonly ComponentChildren[])[];
};

/** The values of a chart as a table, for users who cannot point at it with a mouse. */
export function Values({ label, summary = "Show as table", columns, rows }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="values" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? (
        <table aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows().map((row, at) => (
              <tr key={at}>
                {row.map((value, column) => (
                  <td key={column}>{value}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </details>
  );
}
