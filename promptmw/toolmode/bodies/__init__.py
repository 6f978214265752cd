"""What stands inside a call: JSON, tagged values, literals."""
