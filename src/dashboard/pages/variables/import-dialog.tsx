import { useState } from "preact/hooks";

import { MAX_VALUES_BYTES } from "#contract/endpoints/variables/schemas.ts";
import { type ImportedVariable, readImport, textOf } from "#dashboard/pages/variables/read-import.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";

const MAX_FILE_BYTES = 2 * MAX_VALUES_BYTES;
/** A binary file has an error in each line. */
const MAX_ERRORS = 10;

type Props = {
  /** @param secret true: all of them are secrets; null: their names and values decide */
  readonly onImport: (variables: readonly ImportedVariable[], secret: true | null) => void;
  readonly onClose: () => void;
};

/** Adds the variables of a .env text to the unsaved changes. */
export function ImportDialog({ onImport, onClose }: Props) {
  const [text, setText] = useState("");
  const [isAllSecret, setIsAllSecret] = useState(false);
  const [fileError, setFileError] = useState<string | null>(null);
  const { variables, errors } = readImport(text);
  const canImport = errors.length === 0 && variables.length > 0;
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    const isTooLarge = file.size > MAX_FILE_BYTES;
    const content = isTooLarge ? null : textOf(await file.arrayBuffer());
    const reason = isTooLarge ? "The file is too large." : "The file is not UTF-8 text.";
    setFileError(content === null ? reason : null);
    if (content !== null) setText(content);
  };
  const add = () => {
    if (!canImport) return;
    onImport(variables, isAllSecret ? true : null);
    onClose();
  };
  return (
    <Dialog title="Import .env" onClose={onClose}>
      <Form onSubmit={add}>
        <div
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            const [file] = event.dataTransfer?.files ?? [];
            // Dropped text is inserted by the browser.
            if (file === undefined) return;
            event.preventDefault();
            void read(file);
          }}
        >
          <Field
            label="Text of the .env file"
            value={text}
            onInput={setText}
            isCode
            lines={8}
            hint="Paste the text, or drop a file here. Nothing is sent until you save."
            error={fileError}
          />
        </div>
        <div class="field">
          <label>
            Or choose a file
            <input type="file" onChange={(event) => void read(event.currentTarget.files?.[0])} />
          </label>
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={isAllSecret}
            onChange={(event) => setIsAllSecret(event.currentTarget.checked)}
          />
          All of them are secrets
        </label>
        {errors.length === 0 ? null : (
          <div class="problem" role="alert">
            {errors.slice(0, MAX_ERRORS).map(({ line, message }) => (
              <p key={line}>
                <strong>Line {line}</strong> {message}
              </p>
            ))}
            {errors.length > MAX_ERRORS ? <p>There are {errors.length - MAX_ERRORS} more errors.</p> : null}
          </div>
        )}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isDisabled={!canImport}>
            {variables.length === 1 ? "Add 1 variable" : `Add ${variables.length} variables`}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
