/** The result of a function, or the fallback if it throws. */
export function attempt<Value, Fallback>(act: () => Value, fallback: Fallback): Value | Fallback {
  try {
    return act();
  } catch {
    return fallback;
  }
}
