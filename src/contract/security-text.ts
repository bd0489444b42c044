/** Where an installation says whom to tell of a weakness: RFC 9116. */
export const SECURITY_TEXT_PATH = "/.well-known/security.txt";

/** A contact as RFC 9116 has it: a mail address, a page or a telephone number, each as a URI. */
export const SECURITY_CONTACT = /^(?:mailto:[!-~]+@[!-~]+|https:\/\/[!-~]+|tel:\+?[0-9.()-]+)$/;
