package commands

import (
	"context"
	"fmt"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
)

// AddOperator makes an operator with a key of the operations API.
func AddOperator(in *ops.OperatorInput) Command[*ops.Operator] {
	roles := []Choice{
		{string(ops.RoleRead), "Read", "read orders, accounts and callbacks"},
		{string(ops.RoleOperate), "Operate", "also quotes, flights, deliveries, callbacks and datasets"},
		{string(ops.RoleAdmin), "Admin", "also accounts, keys, operators, the audit trail and test controls"},
	}
	return Command[*ops.Operator]{
		Verb: "add", Title: "Add operator", Doing: "adding the operator",
		Short: "Add an operator with a separate key",
		Long: "Creates a key for a person or a program and prints it; it is not shown again. With the role read it can read orders, accounts and " +
			"callbacks, with operate also change orders, missions, callbacks and datasets, with admin everything. Needs an admin's key.",
		Example: "# a key for a colleague who plans flights\nflightdesk ops operators add \"Ida Holm\" --role operate",
		Effects: "The key is shown once. You can replace or revoke it at any time.",
		Fields: []Field{
			{Name: "name", Value: &in.Name, Label: "Name", Help: "name of the person or the program", Required: "enter a name", Arg: "NAME"},
			{
				Name: "role", Value: (*string)(&in.Role), Label: "Role", Help: "what the key can be used for", Known: roles,
				Required: "select a role", Flag: "role",
			},
		},
		Run: func(ctx context.Context, desk *ops.Client, _ string) (*ops.Operator, error) {
			return desk.Operators.Add(ctx, *in)
		},
		Done:  func(o *ops.Operator) string { return "operator added: " + o.Name },
		Facts: operatorFacts,
	}
}

func operatorFacts(o *ops.Operator) [][2]string {
	return [][2]string{
		{"Key", o.Key},
		{"Operator", o.Name},
		{"Role", string(o.Role)},
		{"Old key until", columns.FormatMoment(o.OldKeyUntil)},
		{"To revoke it", "flightdesk ops operators revoke " + o.UUID},
	}
}

// RotateOperator replaces an operator's key.
func RotateOperator(in *ops.RotationInput) Command[*ops.Operator] {
	return Command[*ops.Operator]{
		Verb: "rotate", Subject: "OPERATOR", Title: "Replace key", Doing: "replacing the key",
		Short:   "Replace an operator's key",
		Long:    "Creates a new key for an operator, by name or uuid, and prints it; it is not shown again. The old key works no longer, or for --overlap.",
		Example: "# replace a program's key; the old one works for another day\nflightdesk ops operators rotate \"Night import\" --overlap 24h",
		Effects: "The new key is shown once.",
		Fields: []Field{{
			Name: "overlap", Value: &in.Overlap, Label: "Overlap", Help: "time in which the old key still works, e.g. 24h",
			Flag: "overlap",
		}},
		Run: func(ctx context.Context, desk *ops.Client, operator string) (*ops.Operator, error) {
			return desk.Operators.Rotate(ctx, operator, *in)
		},
		Done:  func(o *ops.Operator) string { return "key of " + o.Name + " replaced" },
		Facts: operatorFacts,
	}
}

// RevokeOperator ends an operator's keys at once.
func RevokeOperator() Command[*ops.Operator] {
	return Command[*ops.Operator]{
		Verb: "revoke", Subject: "OPERATOR", Title: "Revoke operator", Doing: "revoking the operator", Asks: true,
		Short:   "Revoke an operator's key immediately",
		Long:    "Revokes the key of an operator, by name or uuid. The next request with it is rejected. Asks for confirmation; --yes skips it.",
		Example: "# in a script\nflightdesk ops operators revoke \"Ida Holm\" --yes",
		Effects: "Requests with this operator's key are rejected from now on. Cannot be undone; you can add the operator again.",
		Run: func(ctx context.Context, desk *ops.Client, operator string) (*ops.Operator, error) {
			return desk.Operators.Revoke(ctx, operator)
		},
		Done: func(o *ops.Operator) string { return "operator revoked: " + o.Name },
	}
}

// FindOperator finds an operator by the id, or by the name, of which only one is not
// revoked.
func FindOperator(ctx context.Context, desk *ops.Client, name string) (*ops.Operator, error) {
	for o, err := range desk.Operators.All(ctx) {
		if err != nil {
			return nil, err
		}
		if o.UUID == name || o.Name == name && o.RevokedAt.IsZero() {
			return o, nil
		}
	}
	return nil, fmt.Errorf("no operator %q; flightdesk ops operators lists them", name)
}
