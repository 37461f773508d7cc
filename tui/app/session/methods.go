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

// MethodFile stores which HTTP methods the service of a profile uses for changes. It has only changes whose
// method is not in the specification.
type MethodFile struct{ path string }

// OpenMethodFile returns the methods in a file, which need not exist.
func OpenMethodFile(path string) *MethodFile { return &MethodFile{path} }

// Load returns the methods by operation. It returns nil if the file is unreadable; then
// the client determines the methods again.
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

// Option returns a client option with the HTTP methods in the file. The client uses these methods and
// does not try others first. If it finds out a further method, it saves this method in the file. An error
// of saving is ignored, because the next client can find out the method again.
func (f *MethodFile) Option() api.Option {
	return api.WithMethods(f.Load(), func(operation, method string) { _ = f.Save(operation, method) })
}
