package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The files in the folder of --secrets.
const (
	opsKeyFile           = "ops-key"           // key of the operations API
	databasePasswordFile = "database-password" // password for --database
	bucketKeyFile        = "bucket-key"        // ID and secret of the key for --files, one per line
	smtpPasswordFile     = "smtp-password"     // password for --smtp
	endpointKeysFile     = "secrets.key"       // keys of endpoint secrets, for --database
)

var secretFiles = []string{opsKeyFile, databasePasswordFile, bucketKeyFile, smtpPasswordFile, endpointKeysFile}

// useSecrets sets the paths of the secret files for the database and the bucket to the files in the folder of
// --secrets. A path that a flag has set stays unchanged.
func (d *localService) useSecrets() error {
	if err := d.checkSecrets(); err != nil {
		return err
	}
	if d.server.Database.URL != "" {
		d.PasswordFile = cmp.Or(d.PasswordFile, d.secretFile(databasePasswordFile))
		d.server.Database.KeyFile = cmp.Or(d.server.Database.KeyFile, d.secretFile(endpointKeysFile))
	}
	if d.server.Bucket.Address != "" {
		d.server.Bucket.KeyFile = cmp.Or(d.server.Bucket.KeyFile, d.secretFile(bucketKeyFile))
	}
	return nil
}

// checkSecrets returns an error if the folder of --secrets cannot be read or has none of secretFiles.
func (d *localService) checkSecrets() error {
	if d.Secrets == "" {
		return nil
	}
	if _, err := os.ReadDir(d.Secrets); err != nil {
		return fmt.Errorf("--secrets: %w", err)
	}
	for _, name := range secretFiles {
		if d.secretFile(name) != "" {
			return nil
		}
	}
	return fmt.Errorf("--secrets: %s has none of the files %s", d.Secrets, strings.Join(secretFiles, ", "))
}

// secretFile returns the path of a file in the folder of --secrets, or "" if it does not exist.
func (d *localService) secretFile(name string) string {
	if d.Secrets == "" {
		return ""
	}
	path := filepath.Join(d.Secrets, name)
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return ""
	}
	return path
}

// useSecrets sets the paths of all secret files of the service to the files in the folder of --secrets. A key
// or a path that a flag has set stays unchanged.
func (f *serveFlags) useSecrets() error {
	if err := f.service.useSecrets(); err != nil {
		return err
	}
	if f.service.server.OpsKey == "" {
		f.OpsKeyFile = cmp.Or(f.OpsKeyFile, f.service.secretFile(opsKeyFile))
	}
	if f.service.server.SMTP != "" {
		f.SMTPPasswordFile = cmp.Or(f.SMTPPasswordFile, f.service.secretFile(smtpPasswordFile))
	}
	return nil
}
