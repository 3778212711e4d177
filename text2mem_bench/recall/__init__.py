"""What a search finds of long conversations: files as LoCoMo lays them out, and evidence recall."""
