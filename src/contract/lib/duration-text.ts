const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** A duration as text: `53 ms`, `0.4 s`, `41 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  if (ms < 100) return `${ms} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE_S) return `${whole} s`;
  if (whole < HOUR_S) return `${Math.floor(whole / MINUTE_S)} min ${whole % MINUTE_S} s`;
  return `${Math.floor(whole / HOUR_S)} h ${Math.floor((whole % HOUR_S) / MINUTE_S)} min`;
}
