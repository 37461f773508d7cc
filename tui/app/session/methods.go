package session

import (
	"context"
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// MethodFile keeps by which HTTP methods the service of a profile makes changes whose
// method the specification does not show.
type MethodFile struct{ path string }

// OpenMethodFile returns the methods in a file, which need not exist.
func OpenMethodFile(path string) *MethodFile { return &MethodFile{path} }

// Load returns the methods by the names of their operations. A file that cannot be read
// has none: the client finds them out again.
func (f *MethodFile) Load() map[string]string {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return nil
	}
	return decodeMethods(data)
}

func decodeMethods(data []byte) map[string]string {
	methods := map[string]string{}
	if json.Unmarshal(data, &methods) != nil || methods == nil {
		return map[string]string{}
	}
	return methods
}

// Save adds the method of an operation to the file.
func (f *MethodFile) Save(operation, method string) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	err := atomicfile.UpdateFile(ctx, f.path, func(old []byte) ([]byte, error) {
		methods := decodeMethods(old)
		methods[operation] = method
		data, err := json.Marshal(methods, json.Deterministic(true), jsontext.WithIndent("\t"))
		return append(data, '\n'), err
	})
	if err != nil {
		return fmt.Errorf("save the methods of the service: %w", err)
	}
	return nil
}

// Option returns the option of a client that uses the methods of the file and adds those
// that it learns. A method that cannot be saved is learned again by the next client.
func (f *MethodFile) Option() api.Option {
	return api.WithMethods(f.Load(), func(operation, method string) { _ = f.Save(operation, method) })
}
