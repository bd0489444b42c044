import { nameOfThisDevice } from "#dashboard/data/passkeys.ts";
import { Field } from "#dashboard/shared/field.tsx";

/** What a person gives of themselves who creates their first passkey. */
export type NewPerson = { readonly name: string; readonly email: string; readonly passkey_name: string };

export const noPerson = (): NewPerson => ({ name: "", email: "", passkey_name: nameOfThisDevice() });

/** An empty field for an address has none. */
export const emailIn = (text: string): string | null => (text.trim() === "" ? null : text.trim());

type Props = {
  readonly person: NewPerson;
  readonly onChange: (person: NewPerson) => void;
  readonly errors: Readonly<Record<string, string>>;
  /** An invitation has the address already. */
  readonly hasEmail?: boolean;
};

/** The fields for a new person and the name of their passkey. */
export function NewPersonFields({ person, onChange, errors, hasEmail = true }: Props) {
  return (
    <>
      <Field
        label="Your name"
        value={person.name}
        onInput={(name) => onChange({ ...person, name })}
        placeholder="Ada Lovelace"
        hint="Deployments and the audit log show it."
        error={errors["name"] ?? null}
      />
      {hasEmail ? (
        <Field
          label="E-mail address (optional)"
          value={person.email}
          onInput={(email) => onChange({ ...person, email })}
          placeholder="ada@example.com"
          error={errors["email"] ?? null}
        />
      ) : null}
      <PasskeyNameField
        value={person.passkey_name}
        onInput={(name) => onChange({ ...person, passkey_name: name })}
        error={errors["passkey_name"] ?? null}
      />
    </>
  );
}

type PasskeyNameProps = {
  readonly value: string;
  readonly onInput: (name: string) => void;
  readonly error: string | null;
};

/** The name of a passkey. */
export function PasskeyNameField(props: PasskeyNameProps) {
  return (
    <Field
      {...props}
      label="Name of the passkey"
      hint="So that you recognize it, such as the name of the device or the password manager."
    />
  );
}
