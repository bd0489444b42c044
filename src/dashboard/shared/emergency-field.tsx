import { Field } from "#dashboard/shared/field.tsx";

type Props = {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly error?: string | null;
};

/** The reason with which a deployment passes freezes and approvals. */
export function EmergencyField({ value, onInput, error = null }: Props) {
  return (
    <Field
      label="Emergency"
      value={value}
      onInput={onInput}
      placeholder="why it cannot wait"
      hint="With a reason, it passes freezes and approvals. Approvers and the audit log see it."
      error={error}
    />
  );
}
