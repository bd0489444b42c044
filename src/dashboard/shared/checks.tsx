import { useShownError } from "#dashboard/shared/shown-error.ts";

type Props<Value extends string> = {
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
  readonly error?: string | null;
  /** There may be so many options that they scroll. */
  readonly isLong?: boolean;
};

/** A set of check boxes. Any number of them can be checked. */
export function Checks<Value extends string>(props: Props<Value>) {
  const { legend, options, chosen, onChange, isLong = false } = props;
  const { error } = useShownError(props.error ?? null);
  return (
    <fieldset class={isLong ? "many" : ""}>
      <legend>{legend}</legend>
      {options.map(({ value, label }) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            aria-invalid={error !== null}
            onChange={() => onChange(toggled(chosen, value))}
          />
          {label}
        </label>
      ))}
      {error === null ? null : <p class="error">{error}</p>}
    </fieldset>
  );
}

/** A list with one more, or without it if it is there. */
export function toggled<One>(chosen: readonly One[], one: One): readonly One[] {
  return chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one];
}
