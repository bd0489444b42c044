import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type Props = {
  /** What the table is called. */
  readonly label: string;
  /** What opens it. */
  readonly summary?: string;
  readonly columns: readonly string[];
  /** Asked for once the table is opened: there may be a thousand. */
  readonly rows: () => readonly (readonly ComponentChildren[])[];
};

/** What a drawing shows where a mouse points at it, as a table, for whoever has none. */
export function Values({ label, summary = "As a table", columns, rows }: Props) {
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
