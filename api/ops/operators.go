package ops

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"flightdesk/api"
)

// Role is the set of permissions of an operator's key. Each role includes the previous roles.
type Role string

// The roles.
const (
	RoleRead    Role = "read"    // read everything except operators and the audit trail
	RoleOperate Role = "operate" // change orders, quotes, missions, deliveries, callbacks and datasets
	RoleAdmin   Role = "admin"   // change accounts, keys, operators and test controls, and read the audit trail
)

// Roles lists the roles, beginning with the fewest permissions.
func Roles() []Role { return []Role{RoleRead, RoleOperate, RoleAdmin} }

// Covers reports whether the role includes the permissions of other.
func (r Role) Covers(other Role) bool {
	return slices.Index(Roles(), r) >= slices.Index(Roles(), other)
}

// Operator is a person or a program with a key of the operations API. Only the response that
// creates a key contains Key.
type Operator struct {
	UUID        string           `json:"uuid"`
	Key         string           `json:"key,omitzero"`
	Name        string           `json:"name"`
	Role        Role             `json:"role"`
	Hint        string           `json:"hint"` // last four characters of the key
	CreatedAt   api.Time         `json:"createdAt"`
	LastUsedAt  api.Time         `json:"lastUsedAt"`  // zero if never used; reads are recorded once an hour
	OldKeyUntil api.Time         `json:"oldKeyUntil"` // end of the time in which the previous key is accepted; zero if it is not
	RevokedAt   api.Time         `json:"revokedAt"`   // zero unless revoked
	Extra       api.ExtraMembers `json:",embed"`
}

// OperatorInput is the request to create an operator.
type OperatorInput struct {
	Name string `json:"name" check:"required,userName"` // see [CheckName]
	Role Role   `json:"role" check:"required"`
}

// blankLetters are letters and symbols without a visible shape.
const blankLetters = "\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0"

// CheckName returns what is wrong with the name of an operator, or "". Names contain only visible
// characters, because otherwise two names could look the same.
func CheckName(name string) string {
	if name != strings.TrimSpace(name) || strings.Contains(name, "  ") {
		return "must not begin or end with a space or have two spaces in a row"
	}
	for _, r := range name {
		isDrawn := unicode.IsGraphic(r) && (r == ' ' || !unicode.IsSpace(r)) &&
			!unicode.Is(unicode.Variation_Selector, r) && !strings.ContainsRune(blankLetters, r)
		if !isDrawn {
			return fmt.Sprintf("has the character %U, which cannot be seen; use letters, digits, signs and single spaces", r)
		}
	}
	return ""
}

// RotationInput is the request to replace a key.
type RotationInput struct {
	Overlap api.Duration `json:"overlap,omitzero" check:"overlap"` // how long the old key is accepted; 0 ends it at once
}

// AuditKind is the kind of an entry in the audit trail.
type AuditKind string

// The kinds of entries.
const (
	AuditChange  AuditKind = "change"  // something was changed
	AuditUse     AuditKind = "use"     // a key was used to read; recorded once an hour for each address
	AuditRefused AuditKind = "refused" // a key's role did not allow a request; for reads, recorded once an hour
)

// AuditKinds lists the kinds of entries.
func AuditKinds() []AuditKind { return []AuditKind{AuditChange, AuditUse, AuditRefused} }

// OperationsKey is the operator name in entries for the operations key.
const OperationsKey = "operations key"

// SendNote is the Operation of an [AuditEntry] for a note to participants of a training room. Its
// Subject is the participant, or "everybody". Notes are not requests, so the entry has no method
// and route.
const SendNote = "send note"

// AuditEntry is an action with the operations API.
type AuditEntry struct {
	ID          int64            `json:"id"` // entries are numbered in order
	At          api.Time         `json:"at"`
	Kind        AuditKind        `json:"kind"`
	Operator    string           `json:"operator"`        // name
	OperatorUID string           `json:"operatorUid"`     // "" for [OperationsKey]
	Address     string           `json:"address"`         // of the client
	Operation   string           `json:"operation"`       // method and route, such as "POST /orders/{uuid}/quotes", or [SendNote]
	Subject     string           `json:"subject"`         // the created object, or else the object in the route; the code of an order or mission
	Parent      string           `json:"parent,omitzero"` // parent of what was created: the order of a quote, the account of a key
	Request     string           `json:"request"`         // body, if it is JSON; long bodies are truncated
	RequestID   string           `json:"requestId"`
	Extra       api.ExtraMembers `json:",embed"`
}

// CurrentUser is the user of a key of the operations API.
type CurrentUser struct {
	UUID  string           `json:"uuid"` // "" for [OperationsKey]
	Name  string           `json:"name"`
	Role  Role             `json:"role"`
	Extra api.ExtraMembers `json:",embed"`
}

// Current returns the user of the client's key.
func (s *OperatorsService) Current(ctx context.Context) (*CurrentUser, error) {
	return api.CallOne[CurrentUser](ctx, s.c, api.NewOperation("read user", "GET user"), nil)
}

// OperatorsService manages operators and reads the audit trail.
type OperatorsService serviceBase

// List returns one page of all operators, newest first.
func (s *OperatorsService) List(ctx context.Context, opts api.ListOptions) (*api.Page[Operator], error) {
	return api.CallPage[Operator](ctx, s.c, api.NewOperation("list users", "GET operators"), opts)
}

// All yields all operators, newest first. It yields the first error and stops.
func (s *OperatorsService) All(ctx context.Context) iter.Seq2[*Operator, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.List)
}

// Add creates an operator with a key. Only this response contains the key.
func (s *OperatorsService) Add(ctx context.Context, in OperatorInput) (*Operator, error) {
	return api.CallOne[Operator](ctx, s.c, api.NewOperation("add user", "POST operators"), in)
}

// Rotate replaces the key of an operator. Only this response contains the key.
func (s *OperatorsService) Rotate(ctx context.Context, uuid string, in RotationInput) (*Operator, error) {
	return api.CallOne[Operator](ctx, s.c, api.NewOperation("rotate key", "POST operators/{}/rotate", uuid), in)
}

// Revoke revokes all keys of an operator at once. Repeating it changes nothing.
func (s *OperatorsService) Revoke(ctx context.Context, uuid string) (*Operator, error) {
	return api.CallOne[Operator](
		ctx,
		s.c,
		api.NewOperation("revoke user", "POST operators/{}/revoke", uuid).Repeatable(),
		nil,
	)
}

// Audit returns one page of the audit trail, newest first.
func (s *OperatorsService) Audit(ctx context.Context, opts api.ListOptions) (*api.Page[AuditEntry], error) {
	return api.CallPage[AuditEntry](ctx, s.c, api.NewOperation("list audit", "GET audit"), opts)
}

// AllAudit yields the audit trail, newest first. It yields the first error and stops.
func (s *OperatorsService) AllAudit(ctx context.Context) iter.Seq2[*AuditEntry, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.Audit)
}
