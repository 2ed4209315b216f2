"""What turns heard."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The first one."""

    initial = True

    dependencies = [
        ("falai", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Heard",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("understood", models.JSONField(null=True)),
                ("performed", models.JSONField(default=dict)),
                (
                    "turn",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="demo_heard", to="falai.turn"
                    ),
                ),
            ],
        ),
    ]
