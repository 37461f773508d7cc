package cli

import (
	"errors"
	"fmt"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
)

// CheckWritable returns an error if the profile or this run is read-only.
func (c *Call) CheckWritable() error {
	c.program.Interruption.MarkChanging()
	if c.program.ReadOnly {
		return errors.New("not allowed with --read-only; remove the flag to change something")
	}
	if c.Service.ReadOnly {
		return fmt.Errorf("profile %s is read-only; select another with --profile to change something", c.Service.Name)
	}
	return nil
}

// CheckCanOrder returns an error if the profile is read-only or its key has no permission to change
// orders. If the permissions are unknown, it returns nil and the service decides.
func (c *Call) CheckCanOrder() error {
	if err := c.CheckWritable(); err != nil {
		return err
	}
	grants, _ := c.Service.Client.Scopes(c, api.ScopeOrdersWrite)
	permissions := session.Permissions{Grants: grants}
	if refusal := permissions.RefusalOf(api.ScopeOrdersWrite); refusal != "" {
		return fmt.Errorf("profile %s: %s", c.Service.Name, refusal)
	}
	return nil
}

// ChangeSender returns a sender that sends changes to the profile's account and records them in the log of changes on
// this machine.
func (c *Call) ChangeSender() *commands.Sender {
	return &commands.Sender{
		Client:  c.Service.Client,
		Changes: c.program.OpenChanges(),
		Account: c.Service.AccountName(),
	}
}
