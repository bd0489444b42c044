const SECRET_NAME = /(?:^|_)(?:SECRET|PASSWORD|PASSWD|PASS|PWD|TOKEN|KEY|PRIVATE|CREDENTIALS?|DSN)(?:_|$)/i;
/** A private key, or an address with a password. */
const SECRET_VALUE = /-----BEGIN [A-Z ]*PRIVATE KEY|^\w[\w+.-]*:\/\/[^\s/@]*:[^\s/@]+@/;

/** Whether a variable is probably a secret. It only decides what is suggested. */
export function looksSecret(name: string, value: string): boolean {
  return SECRET_VALUE.test(value) || (SECRET_NAME.test(name) && !/PUBLIC/i.test(name));
}
