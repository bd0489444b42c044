import type { Send } from "#client/send.ts";
import { Signal } from "#dashboard/data/signal.ts";

/** What waits for the person to confirm with a passkey. Call `settle` once. */
type Confirmation = { readonly settle: (isConfirmed: boolean) => void };

/** The open request to confirm; null: none. `ConfirmationDialog` shows it. */
export const confirmation = new Signal<Confirmation | null>(null);

let asked: Promise<boolean> | null = null;

/** Asks for a confirmation. Requests that need one at the same time share it. @returns whether the person confirmed */
function askToConfirm(): Promise<boolean> {
  asked ??= new Promise<boolean>((settle) => confirmation.set({ settle })).finally(() => {
    asked = null;
    confirmation.set(null);
  });
  return asked;
}

/** As `send`, but if a request needs a confirmation, it asks the person for it and sends the request again. */
export function sendConfirmed(send: Send): Send {
  return async (endpoint, request, transport) => {
    const result = await send(endpoint, request, transport);
    if (result.ok || result.problem.code !== "reauthentication_required") return result;
    if (await askToConfirm()) return await send(endpoint, request, transport);
    const detail = "You did not confirm with a passkey, so nothing has changed.";
    return { ok: false, problem: { ...result.problem, detail } };
  };
}
