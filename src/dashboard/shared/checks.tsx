type Props<Value extends string> = {
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
  /** Whether the chosen options include this one, so that it is checked and cannot be changed. */
  readonly isIncluded?: (value: Value) => boolean;
  readonly error?: string | null;
  /** There may be so many options that they scroll. */
  readonly isLong?: boolean;
};

/** A set of check boxes, of which any number can be chosen. */
export function Checks<Value extends string>(props: Props<Value>) {
  const { legend, options, chosen, onChange, isIncluded, error = null, isLong = false } = props;
  return (
    <fieldset class={isLong ? "many" : ""}>
      <legend>{legend}</legend>
      {options.map(({ value, label }) => {
        const isFixed = isIncluded?.(value) === true;
        return (
          <label key={value} class="check">
            <input
              type="checkbox"
              checked={isFixed || chosen.includes(value)}
              disabled={isFixed}
              aria-invalid={error !== null}
              onChange={() => onChange(toggled(chosen, value))}
            />
            {label}
            {isFixed ? <span class="quiet">included</span> : null}
          </label>
        );
      })}
      {error === null ? null : <p class="error">{error}</p>}
    </fieldset>
  );
}

function toggled<One>(chosen: readonly One[], one: One): readonly One[] {
  return chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one];
}
