import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";

/** Whether the form around a field was submitted with errors. Fields without a form show their errors at once. */
export const FormWasRefused = createContext(true);

export type ShownError = {
  /** The error to show now; null: none. */
  readonly error: string | null;
  readonly onEdit: () => void;
  readonly onLeave: () => void;
};

/**
 * Holds back the error of a field until the user has left it after a change, or has submitted the form: a value that is
 * being typed is not wrong yet.
 */
export function useShownError(error: string | null): ShownError {
  const wasRefused = useContext(FormWasRefused);
  const [stage, setStage] = useState<"untouched" | "edited" | "left">("untouched");
  return {
    error: wasRefused || stage === "left" ? error : null,
    onEdit: () => setStage((now) => (now === "untouched" ? "edited" : now)),
    onLeave: () => setStage((now) => (now === "edited" ? "left" : now)),
  };
}
