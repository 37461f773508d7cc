package callback

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// parseCertificates parses a PEM text with at least one certificate and nothing else.
func parseCertificates(text []byte) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for {
		var block *pem.Block
		block, text = pem.Decode(text)
		if block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("it contains a %s; only certificates are accepted", block.Type)
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errors.New("a certificate in it is damaged")
		}
		all = append(all, c)
	}
	if len(all) == 0 || bytes.Contains(text, []byte("-----BEGIN")) {
		return nil, errors.New("it is not a PEM certificate (-----BEGIN CERTIFICATE-----)")
	}
	return all, nil
}
