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

// Role is what an operator's key may do. Each role can do what those before it can.
type Role string

// The roles.
const (
	RoleRead    Role = "read"    // read everything but operators and the audit trail
	RoleOperate Role = "operate" // orders, quotes, missions, deliveries, callbacks and datasets
	RoleAdmin   Role = "admin"   // accounts, keys, operators, the audit trail and test controls, too
)

// Roles lists the roles, the least first.
func Roles() []Role { return []Role{RoleRead, RoleOperate, RoleAdmin} }

// Covers reports whether the role can do what another one can.
func (r Role) Covers(other Role) bool {
	return slices.Index(Roles(), r) >= slices.Index(Roles(), other)
}

// Operator is a person or a program with a key of the operations API. Key itself is in
// the answer that makes it, never again.
type Operator struct {
	UUID        string           `json:"uuid"`
	Key         string           `json:"key,omitzero"`
	Name        string           `json:"name"`
	Role        Role             `json:"role"`
	Hint        string           `json:"hint"` // the key's last four characters
	CreatedAt   api.Time         `json:"createdAt"`
	LastUsedAt  api.Time         `json:"lastUsedAt"`  // zero: never; reads are noted once an hour
	OldKeyUntil api.Time         `json:"oldKeyUntil"` // how long the key before is accepted; zero: not
	RevokedAt   api.Time         `json:"revokedAt"`   // zero: not revoked
	Extra       api.ExtraMembers `json:",embed"`
}

// OperatorInput is a new operator.
type OperatorInput struct {
	Name string `json:"name" check:"required,userName"` // see [CheckName]
	Role Role   `json:"role" check:"required"`
}

// blankLetters are letters and symbols that are drawn as nothing.
const blankLetters = "\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0"

// CheckName returns what is wrong with the name of an operator, "" for nothing. A name has
// only what people see, so that nobody's name looks like another one.
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

// RotationInput is how a key is replaced.
type RotationInput struct {
	Overlap api.Duration `json:"overlap,omitzero" check:"overlap"` // how long the old key is accepted; 0: no longer
}

// AuditKind is what an entry of the audit trail is about.
type AuditKind string

// The kinds of entries.
const (
	AuditChange  AuditKind = "change"  // something was changed
	AuditUse     AuditKind = "use"     // a key was used to read, for the first time in an hour from that address
	AuditRefused AuditKind = "refused" // a key's role did not allow a request; of a read, for the first time in an hour
)

// AuditKinds lists the kinds of entries.
func AuditKinds() []AuditKind { return []AuditKind{AuditChange, AuditUse, AuditRefused} }

// OperationsKey is the name that entries have for the holder of the operations key.
const OperationsKey = "operations key"

// SendNote is the operation of audit entries about notes to participants of a training
// room, which are not requests. The subject is the participant, or "everybody".
const SendNote = "send note"

// AuditEntry is something that was done through the operations API.
type AuditEntry struct {
	ID          int64            `json:"id"` // entries are numbered in the order in which they were kept
	At          api.Time         `json:"at"`
	Kind        AuditKind        `json:"kind"`
	Operator    string           `json:"operator"`        // name
	OperatorUID string           `json:"operatorUid"`     // "" for [OperationsKey]
	Address     string           `json:"address"`         // of the client
	Operation   string           `json:"operation"`       // method and route, as in "POST /orders/{uuid}/quotes", or [SendNote]
	Subject     string           `json:"subject"`         // what was created, otherwise what the route names; orders and missions by their codes
	Parent      string           `json:"parent,omitzero"` // what it was created in: the order of a quote, the account of a key
	Request     string           `json:"request"`         // its body, if that is JSON; long ones are cut
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

// OperatorsService has the operators and the audit trail.
type OperatorsService serviceBase

// List returns one page of all operators, newest first.
func (s *OperatorsService) List(ctx context.Context, opts api.ListOptions) (*api.Page[Operator], error) {
	return api.CallPage[Operator](ctx, s.c, api.NewOperation("list operators", "GET operators"), opts)
}

// All yields all operators, newest first, page by page. It stops after the first error,
// which it yields.
func (s *OperatorsService) All(ctx context.Context) iter.Seq2[*Operator, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.List)
}

// Add makes an operator with a key. The answer has the key, once.
func (s *OperatorsService) Add(ctx context.Context, in OperatorInput) (*Operator, error) {
	return api.CallOne[Operator](ctx, s.c, api.NewOperation("add operator", "POST operators"), in)
}

// Rotate gives an operator another key. The answer has the key, once.
func (s *OperatorsService) Rotate(ctx context.Context, uuid string, in RotationInput) (*Operator, error) {
	return api.CallOne[Operator](ctx, s.c, api.NewOperation("rotate key", "POST operators/{}/rotate", uuid), in)
}

// Revoke ends an operator's keys at once. Doing it again changes nothing.
func (s *OperatorsService) Revoke(ctx context.Context, uuid string) (*Operator, error) {
	return api.CallOne[Operator](
		ctx,
		s.c,
		api.NewOperation("revoke operator", "POST operators/{}/revoke", uuid).Repeatable(),
		nil,
	)
}

// Audit returns one page of the audit trail, newest first.
func (s *OperatorsService) Audit(ctx context.Context, opts api.ListOptions) (*api.Page[AuditEntry], error) {
	return api.CallPage[AuditEntry](ctx, s.c, api.NewOperation("list audit", "GET audit"), opts)
}

// AllAudit yields the audit trail, newest first, page by page. It stops after the first
// error, which it yields.
func (s *OperatorsService) AllAudit(ctx context.Context) iter.Seq2[*AuditEntry, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.Audit)
}
