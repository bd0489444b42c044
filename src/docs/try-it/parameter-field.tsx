import type { TriedOperation } from "#contract/reference/page-data.ts";

type Parameter = TriedOperation["parameters"][number];

/** The field of a parameter of the path, the query or the headers. */
export function ParameterField({
  parameter: { name, in: place, required, example },
  value,
  onChange,
}: {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label>
      <span>
        <code>{name}</code> {required ? "" : `${place}, optional`}
      </span>
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={example}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    </label>
  );
}
