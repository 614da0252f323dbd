import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'

/** PEM text of a certificate file, checked to be one. */
export async function readCertificate(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw invalid(`the certificate file ${path} cannot be read; check its path`, cause)
  })
  try {
    // Parses the first of possibly several certificates.
    void new X509Certificate(text)
  } catch (cause) {
    throw invalid(`${path} is not a PEM certificate; give a file that begins with "-----BEGIN CERTIFICATE-----"`, cause)
  }
  return text
}
