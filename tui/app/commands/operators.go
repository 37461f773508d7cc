package commands

import (
	"context"
	"fmt"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
)

// AddOperator makes an operator with a key of the operations API.
func AddOperator(in *ops.OperatorInput) Command {
	return Command{
		Verb:  "add",
		Title: "Add user",
		Doing: "adding the key",
		Short: "Add an operations user with a separate key",
		Long: `Creates a key of the operations API for a person or a program and prints it; it is not shown again. With the
role read it can read orders, accounts and callbacks, with operate also change orders, missions, callbacks and
datasets, with admin everything. Needs an admin's key.`,
		Example: "# a key for a colleague who plans flights\nflightdesk ops users add \"Ida Holm\" --role operate",
		Effects: "The key is shown once. You can replace or revoke it at any time.",
		Fields: []Field{
			argument("name", &in.Name, "Name", "name of the person or the program", "enter a name", "NAME"),
			choice(
				"role",
				(*string)(&in.Role),
				"Role",
				"what the key can be used for",
				"select a role",
				choicesOf(ops.Roles()),
			),
		},
		Run: tellRequest(
			func(t Target) (*ops.Operator, error) { return t.Operators.Add(t, *in) },
			func(o *ops.Operator) string { return "key of " + o.Name + " added" },
			operatorFacts,
		),
	}
}

func operatorFacts(o *ops.Operator) [][2]string {
	return [][2]string{
		{"Key", o.Key},
		{"Name", o.Name},
		{"Role", string(o.Role)},
		{"Old key until", columns.FormatMoment(o.OldKeyUntil)},
		{"To revoke it", "flightdesk ops users revoke " + o.UUID},
	}
}

// RotateOperator replaces an operator's key.
func RotateOperator(in *ops.RotationInput) Command {
	return Command{
		Verb:    "rotate",
		Subject: "USER",
		Title:   "Replace key",
		Doing:   "replacing the key",
		Short:   "Replace an operations user's key",
		Long:    "Creates a new key for an operations user, by name or ID, and prints it; it is not shown again. The old key stops working at once, or after --overlap.",
		Example: "# replace a program's key; the old one works for another day\nflightdesk ops users rotate \"Night import\" --overlap 24h",
		Effects: "The new key is shown once.",
		Fields: []Field{
			option(
				"overlap",
				&in.Overlap,
				"Overlap",
				"time in which the old key still works, e.g. 24h",
				"overlap",
			),
		},
		Run: tellRequest(
			func(t Target) (*ops.Operator, error) { return t.Operators.Rotate(t, t.ID, *in) },
			func(o *ops.Operator) string { return "key of " + o.Name + " replaced" },
			operatorFacts,
		),
	}
}

// RevokeOperator ends an operator's keys at once.
func RevokeOperator() Command {
	return Command{
		Verb:    "revoke",
		Subject: "USER",
		Title:   "Revoke user",
		Doing:   "revoking the key",
		Asks:    true,
		Short:   "Revoke an operations user's key immediately",
		Long:    "Revokes the key of an operations user, by name or ID. The next request with it is rejected. Asks for confirmation; --yes skips it.",
		Example: "# in a script\nflightdesk ops users revoke \"Ida Holm\" --yes",
		Effects: "Requests with this key are rejected from now on. Cannot be undone; you can add another key.",
		Run: tellRequest(
			func(t Target) (*ops.Operator, error) { return t.Operators.Revoke(t, t.ID) },
			func(o *ops.Operator) string { return "key of " + o.Name + " revoked" },
		),
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
	return nil, fmt.Errorf("no operations user %q; flightdesk ops users lists them", name)
}
